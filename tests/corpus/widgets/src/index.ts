export { Button } from "./components/Button";
export { DataTable } from "./components/DataTable";
export { useDebounce } from "./hooks/useDebounce";
export { useTheme } from "./hooks/useTheme";
export { Store } from "./state/store";
export { persistStore, restoreState } from "./state/persist";
