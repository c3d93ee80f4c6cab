import { useEffect, useState } from "preact/hooks";
import { isLoopbackHost } from "./pairing.ts";

const QUIET_ZONE = 4;

/** The modules of a QR code as one path: a row at a time. */
const pathOf = (rows: readonly boolean[][]): string =>
  rows
    .flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : "")),
    )
    .join("");

/** A token as a picture that a phone's camera reads: it opens this page there and signs in. */
export const PairCode = ({ token }: { token: string }) => {
  const [code, setCode] = useState<{ size: number; path: string }>();
  useEffect(() => {
    let isOver = false;
    void import("uqr").then(({ encode }) => {
      const { data, size } = encode(`${location.origin}/app#pair=${token}`, { ecc: "M", border: 0 });
      if (!isOver) setCode({ size: size + 2 * QUIET_ZONE, path: pathOf(data) });
    });
    return () => {
      isOver = true;
    };
  }, [token]);
  if (isLoopbackHost(location.hostname))
    return (
      <p class="quiet">
        To pair a phone, open this page under an address that the phone can reach, and make the token there.
      </p>
    );
  return (
    <div class="pair">
      {code && (
        <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label="QR code that signs a phone in">
          <rect width={code.size} height={code.size} fill="#fff" />
          <path d={code.path} fill="#000" />
        </svg>
      )}
      <p>
        Or point the phone's camera at this: it opens the page there and signs in. Whoever scans it is in.
      </p>
    </div>
  );
};
