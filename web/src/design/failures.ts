import { ApiError } from "../api/http";
import { toast } from "./toasts";

/** Show a message with the reason why an action of the user failed. */
export function showFailure(error: unknown) {
  const text = error instanceof Error ? error.message : String(error);
  const details = error instanceof ApiError && Array.isArray(error.details) ? error.details : [];
  const first = (details[0] as { message?: string } | undefined)?.message;
  toast(first && !text.includes(first) ? `${text} ${first}` : text, {
    bad: true,
    milliseconds: 9000,
  });
}
