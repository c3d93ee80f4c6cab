import { useId, useState } from "preact/hooks";
import { call, type Me } from "./api.ts";
import { Command, Failure, PageTitle } from "./parts.tsx";

export const SignIn = ({
  onSignedIn,
  reason,
}: {
  onSignedIn: (me: Me) => void;
  reason?: string | undefined;
}) => {
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const signIn = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onSignedIn(await call<Me>("POST", "/api/session", { token }));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <main class="narrow">
      <PageTitle title="Sign in">Sign in</PageTitle>
      {reason && <p class="notice">{reason}</p>}
      <form class="card stack" onSubmit={(event) => void signIn(event)}>
        {/* Password managers keep a password with a user's name. */}
        <input type="text" autocomplete="username" value="nightshift" hidden readOnly />
        <div class="field">
          <label for={id}>Token</label>
          <input
            id={id}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </div>
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <p class="quiet">The administrator's token is in a file on the machine that runs the server:</p>
      <Command text="cat ~/.nightshift/admin-token" label="Copy command" />
    </main>
  );
};
