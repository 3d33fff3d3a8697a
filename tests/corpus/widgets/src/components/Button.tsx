import { useTheme } from "../hooks/useTheme";

export interface ButtonProps {
  label: string;
  disabled?: boolean;
  onPress: () => void;
}

/** A button that follows the theme and ignores presses while it is disabled. */
export function Button({ label, disabled, onPress }: ButtonProps) {
  const theme = useTheme();
  const handleClick = () => {
    if (!disabled) onPress();
  };
  return (
    <button style={{ color: theme.accent }} aria-disabled={disabled} onClick={handleClick}>
      {label}
    </button>
  );
}
