import { ERROR_CODES } from "./error-codes.ts";
import { AppError, systemCode } from "./errors.ts";

const PASSING_CODES =
  "ENOSPC EDQUOT EMFILE ENFILE EAGAIN ENOMEM EIO EBUSY EINTR ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET".split(
    " ",
  );

/** What programs say of the same: the words of the C library, of git, of HTTP clients, of model services. */
const PASSING_WORDS = new RegExp(
  [
    // Not `EIO` and the like in the middle of a word.
    `\\b(?:${PASSING_CODES.join("|")})\\b`,
    "no space left on device|disk quota exceeded|too many open files|resource temporarily unavailable",
    "cannot allocate memory|input/output error|device or resource busy|text file busy",
    "connection (?:was )?(?:refused|reset|timed out|closed|lost)|connection error\\b|connection to .{1,200} timed out",
    "operation timed out|timed? ?out (?:while|waiting|connecting)|request timed out",
    "could not resolve host|temporary failure in name resolution|name or service not known|getaddrinfo",
    "network is (?:unreachable|down)|no route to host|network error|failed to connect to|unable to connect",
    "socket hang up|fetch failed|error sending request|stream disconnected|premature close|other side closed",
    "the remote end hung up|early eof|rpc failed",
    "\\b(?:http|status|api error|error|code|answered|returned)(?: code| error)?[ :=(]{1,3}(?:429|5\\d\\d)\\b",
    "\\b5\\d\\d (?:internal server error|bad gateway|service unavailable|gateway time-?out|overloaded)",
    "overloaded(?:_error)?\\b|service (?:is )?(?:temporarily )?unavailable|bad gateway|internal server error",
    "unable to create '[^']*\\.lock': file exists|cannot lock ref .*: unable to create",
  ].join("|"),
  "i",
);

/** What stays, whatever else is said beside it: a person has to do something. */
const LASTING_WORDS =
  /authenticat|unauthori[sz]ed|permission denied|invalid api key|not logged in|log ?in (?:again|first|required)|\b40[134]\b|forbidden|credit balance|billing|not a git repository|dubious ownership|no such file/i;

/** The same, by what was said: of a program that only its words are known of. */
export const isPassingText = (text: string): boolean => PASSING_WORDS.test(text) && !LASTING_WORDS.test(text);

/**
 * Whether it is worth trying again without anybody doing anything. Codes come before words, the cause before
 * what wraps it; what is not known is taken to last.
 */
export const isPassing = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = systemCode(error);
  if (code !== undefined && PASSING_CODES.includes(code)) return true;
  const byCode = error instanceof AppError ? ERROR_CODES[error.code].passes : undefined;
  if (byCode !== undefined) return byCode;
  if (error.cause !== undefined && isPassing(error.cause)) return true;
  return error instanceof AppError && isPassingText(error.message);
};
