import { Store } from "./store";

/** Save the state in the browser's local storage whenever it changes. */
export function persistStore<State>(store: Store<State>, key: string): void {
  store.subscribe(() => localStorage.setItem(key, JSON.stringify(store.getState())));
}

export function restoreState<State>(key: string, fallback: State): State {
  const saved = localStorage.getItem(key);
  return saved === null ? fallback : (JSON.parse(saved) as State);
}
