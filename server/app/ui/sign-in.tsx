import { useEffect, useState } from "preact/hooks";
import { call, type Me } from "./api.ts";
import { Form, SecretField } from "./fields.tsx";
import { takePairing } from "./pairing.ts";
import { keepSession } from "./session.ts";
import { Command, Failure, PageTitle } from "./parts.tsx";
import { useWork } from "./use-work.ts";

/** Where the server keeps its token; it tells only those who use the same machine. */
const { tokenFile, tokenDead } = document.getElementById("app")?.dataset ?? {};

const quoted = (path: string): string =>
  /^[\w./~@%+:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** The page of this server that sent somebody here to sign in. */
const pathBack = (): string | undefined => {
  const back = new URLSearchParams(location.search).get("back") ?? "";
  return /^\/__companion\/[\w./-]*$/.test(back) ? back : undefined;
};

const WhereTokenIs = () => {
  if (tokenFile === undefined)
    return (
      <p class="quiet">
        The administrator's token is in the file <code>admin-token</code> in the server's folder (
        <code>NIGHTSHIFT_HOME</code>), on the machine that runs it.
      </p>
    );
  if (tokenDead !== undefined)
    return (
      <p class="quiet">
        The token in <code>{tokenFile}</code> no longer works. Restart the server: it writes a new one.
      </p>
    );
  return (
    <>
      <p class="quiet">The administrator's token is in a file on this machine:</p>
      <Command text={`cat ${quoted(tokenFile)}`} label="Copy command" />
    </>
  );
};

export const SignIn = ({
  onSignedIn,
  reason,
}: {
  onSignedIn: (me: Me) => void;
  reason?: string | undefined;
}) => {
  const [token, setToken] = useState("");
  const { error, run } = useWork();
  const [isBusy, setBusy] = useState(false);
  const signIn = async (secret: string) => {
    setBusy(true);
    const isIn = await run(async () => {
      const session = await call(({ api }) => api.session.post({ token: secret }));
      keepSession(session);
      const back = pathBack();
      if (back === undefined) onSignedIn(session);
      else location.replace(back);
    });
    if (!isIn) setBusy(false);
  };
  useEffect(() => {
    const paired = takePairing();
    if (paired !== undefined) void signIn(paired);
  }, []);
  return (
    <main class="narrow">
      <PageTitle title="Sign in">Sign in</PageTitle>
      {reason && <p class="notice">{reason}</p>}
      <Form class="card stack" onSend={() => signIn(token)}>
        {/* Password managers keep a password with a user's name. */}
        <input type="text" autocomplete="username" value="nightshift" hidden readOnly />
        <SecretField label="Token" value={token} onChange={setToken} />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </Form>
      <WhereTokenIs />
    </main>
  );
};
