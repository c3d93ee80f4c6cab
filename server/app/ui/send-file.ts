import { ApiError, refuse } from "./api.ts";
import { ChangedOnDisk } from "./check-files.ts";
import { sessionHeaders } from "./session.ts";

const ATTEMPTS = 4;

/** Told as the error of everything that was cut short by its own page. */
const cancelled = (): ApiError => new ApiError(0, "Cancelled", []);

/** One upload; XMLHttpRequest, because only it tells how many bytes have left. */
const sendOnce = (
  url: string,
  file: File,
  { onSent, signal }: { onSent: (bytes: number) => void; signal: AbortSignal },
): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.open("PUT", url);
    request.responseType = "json";
    for (const [name, value] of Object.entries(sessionHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onSent(event.loaded));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(refuse(request.status, request.response));
    });
    request.addEventListener("error", () => reject(refuse(0, undefined)));
    request.addEventListener("abort", () => reject(cancelled()));
    request.send(file);
  });

/** Whether the disk still holds what was chosen: a browser sends nothing else, and says only that it failed. */
const isReadable = async (file: File): Promise<boolean> => {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

const mayHelp = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** The failure with the file's name in front, unless it says it. */
const named = (path: string, { status, message, faults }: ApiError): ApiError =>
  new ApiError(status, message.includes(path) ? message : `${path}: ${message}`, faults);

/** Uploads one file, again after what may pass. @throws ApiError naming the file */
export const sendFile = async (
  url: string,
  { path, file }: { path: string; file: File },
  { onSent, signal }: { onSent: (bytes: number) => void; signal: AbortSignal },
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await sendOnce(url, file, { onSent, signal });
      onSent(file.size);
      return;
    } catch (error) {
      onSent(0);
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 0 && !signal.aborted && !(await isReadable(file))) throw new ChangedOnDisk(path);
      if (error.status === 400 && error.message.startsWith("Asset does not match"))
        throw new ChangedOnDisk(path);
      if (signal.aborted || !mayHelp(error) || attempt >= ATTEMPTS) throw named(path, error);
      await pause(300 * 2 ** attempt, signal);
    }
  }
};
