import { AppError, type Fault } from "../../../core/errors.ts";
import type { Meaning } from "../../../core/meaning.ts";
import { cleanText } from "../store/clean-text.ts";

/** A text of which nothing is left without invisible characters says nothing. */
export const hasReadable: Meaning = (body) =>
  ["trigger", "learning"]
    .filter((name) => {
      const text = body[name];
      return typeof text === "string" && cleanText(text) === "";
    })
    .map((name) => ({ path: `/body/${name}`, message: "is required, with something readable in it" }));

export const needsContext: Meaning = ({ context, text }) =>
  context === undefined && text === undefined ? [{ path: "/body/context", message: "is required" }] : [];

export const needsReceipt: Meaning = ({ receipt, injection_id: id }) =>
  receipt === undefined && id === undefined ? [{ path: "/body/receipt", message: "is required" }] : [];

export const needsTime: Meaning = ({ since }) =>
  typeof since === "string" && Number.isNaN(Date.parse(since))
    ? [{ path: "/body/since", message: "is not an ISO date and time" }]
    : [];

/** @throws AppError `bad-data` with every fault, when there is one */
export const refuseFaults = (message: string, faults: readonly Fault[]): void => {
  if (faults.length > 0) throw new AppError("bad-data", message, { faults: [...faults] });
};
