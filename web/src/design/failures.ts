import { ApiError } from "../api/http";
import { toast } from "./toasts";

/** Says in the corner that something the user asked for has not been done, and why. */
export function tellFailure(error: unknown) {
  const text = error instanceof Error ? error.message : String(error);
  const details = error instanceof ApiError && Array.isArray(error.details) ? error.details : [];
  const first = (details[0] as { message?: string } | undefined)?.message;
  toast(first && !text.includes(first) ? `${text} ${first}` : text, {
    bad: true,
    milliseconds: 9000,
  });
}
