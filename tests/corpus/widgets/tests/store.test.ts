import { Store } from "../src/state/store";

test("dispatch notifies subscribers", () => {
  const store = new Store(0);
  store.subscribe(() => {});
  store.dispatch((n) => n + 1);
});
