/**
 * Callback URLs of command lines, which use the first free port. The ports are below 32768, where the range of
 * ephemeral ports starts on common systems, so that no outgoing connection occupies one by chance.
 */
export const commandLineCallbacks: readonly string[] = [28461, 28462, 28463].map(
  (port) => `http://localhost:${port}/callback`,
);
