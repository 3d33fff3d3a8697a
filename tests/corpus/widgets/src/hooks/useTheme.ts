import { createContext, useContext } from "react";

export interface Theme {
  accent: string;
  background: string;
}

export const ThemeContext = createContext<Theme>({ accent: "navy", background: "white" });

/** The theme of the nearest provider. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
