import type { ComponentProps, ReactNode, Ref } from "react";
import { Hint } from "./Hint";

type ButtonProps = ComponentProps<"button"> & {
  look?: "plain" | "primary" | "danger" | "quiet";
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

export function buttonClass({
  look = "plain",
  small = false,
}: Pick<ButtonProps, "look" | "small">) {
  return ["button", look !== "plain" && `button-${look}`, small && "button-small"]
    .filter(Boolean)
    .join(" ");
}

export function Button({ look, small, className = "", type = "button", ...rest }: ButtonProps) {
  const classes = `${buttonClass({ look, small })} ${className}`.trim();
  return <button {...rest} type={type} className={classes} />;
}

type IconButtonProps = Omit<ButtonProps, "children"> & {
  /** The action, which is both the name for screen readers and the tooltip. */
  label: string;
  icon: ReactNode;
  shortcut?: string;
};

/** A button with an icon only, which shows its label on hover and focus. */
export function IconButton({
  label,
  icon,
  shortcut,
  look = "quiet",
  className = "",
  ...rest
}: IconButtonProps) {
  return (
    <Hint text={label} shortcut={shortcut}>
      <Button {...rest} look={look} aria-label={label} className={`button-icon ${className}`}>
        {icon}
      </Button>
    </Hint>
  );
}
