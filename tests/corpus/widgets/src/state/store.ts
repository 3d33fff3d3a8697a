export type Listener = () => void;

/** Keeps the state and tells its subscribers about every change. */
export class Store<State> {
  private listeners = new Set<Listener>();

  constructor(private state: State) {}

  getState(): State {
    return this.state;
  }

  /** Replace the state by what the reducer makes of it, then notify everybody. */
  dispatch(reducer: (state: State) => State): void {
    this.state = reducer(this.state);
    this.listeners.forEach((listener) => listener());
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
