import { Switch as Radix } from "radix-ui";

type SwitchProps = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The name for screen readers, if no visible label refers to the switch. */
  label?: string;
  id?: string;
  disabled?: boolean;
};

export function Switch({ checked, onChange, label, id, disabled = false }: SwitchProps) {
  return (
    <Radix.Root
      className="switch"
      checked={checked}
      onCheckedChange={onChange}
      aria-label={label}
      id={id}
      disabled={disabled}
    >
      <Radix.Thumb className="switch-knob" />
    </Radix.Root>
  );
}
