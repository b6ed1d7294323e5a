import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { reconnect } from "../api/events";
import { signIn } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Field } from "../design/Field";
import { useThemeOnPage } from "../design/theme";
import { PageTitle } from "../shell/PageTitle";

/** The sign-in page: by name and password, or by the token that the server was started with. */
export function SignInPage({ isTeam }: { isTeam: boolean }) {
  useThemeOnPage();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const enter = useMutation({
    mutationFn: () => signIn(isTeam ? { name, password: secret } : { token: secret }),
    onSuccess: async () => {
      await client.invalidateQueries();
      reconnect();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <main className="entrance">
      <div className="card">
        <Creature seed="gatekeeper" size={110} mood={enter.isPending ? "happy" : "awake"} />
        <PageTitle title="Sign in">Who goes there?</PageTitle>
        <form className="stack" onSubmit={submit}>
          {isTeam && (
            <Field label="Name">
              <input
                className="input"
                autoComplete="username"
                required
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
          )}
          <Field label={isTeam ? "Password" : "Token"} problem={enter.error?.message}>
            <input
              className="input"
              type="password"
              autoComplete="current-password"
              required
              value={secret}
              onChange={(event) => setSecret(event.target.value)}
            />
          </Field>
          <Button look="primary" type="submit" disabled={!secret || enter.isPending}>
            Come in
          </Button>
        </form>
      </div>
    </main>
  );
}
