// All commands load this file first: `node --import ./bin/loader.js bin/<command>.ts`. It prints a clear message if
// Node is too old. It must be plain JavaScript, because Node before version 24 fails at TypeScript with an unclear
// error. An old Node can run if npm was not allowed to run the install script of the project's own Node.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it with "npm ci --ignore-scripts=false", and start this with npm.`,
  );
  process.exit(1);
}

const { register } = await import('tsx/esm/api');
// Use the tsconfig of this project, because it selects the JSX runtime. By default, tsx reads the tsconfig in the
// working directory.
register({ tsconfig: `${import.meta.dirname}/../tsconfig.json` });
