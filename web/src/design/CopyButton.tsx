import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./Button";
import { toast } from "./toasts";

export function CopyButton({
  text,
  label = "Copy",
  small = false,
}: {
  text: string;
  label?: string;
  small?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast("The browser does not let us copy here. Select the text and copy it yourself.", {
        bad: true,
      });
    }
  };
  return (
    <Button small={small} onClick={() => void copy()}>
      {copied ? <Check size={17} /> : <Copy size={17} />}
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}
