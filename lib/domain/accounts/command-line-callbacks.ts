/**
 * Where a command line waits for its answer: at the first of these ports that is free. Below 32768, from where on systems
 * give ports to connections that leave, so that none is taken by chance.
 */
export const commandLineCallbacks: readonly string[] = [28461, 28462, 28463].map(
  (port) => `http://localhost:${port}/callback`,
);
