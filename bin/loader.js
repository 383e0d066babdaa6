// Every command starts with this file: `node --import ./bin/loader.js bin/<command>.ts`. It is plain JavaScript,
// because a Node before 24 would fail at TypeScript with a stack trace that does not name the cause. npm starts the
// machine's Node when the install script of the project's own Node was not allowed to run.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it with "npm ci --ignore-scripts=false", and start this with npm.`,
  );
  process.exit(1);
}

const { register } = await import('tsx/esm/api');
// The project's tsconfig names the JSX runtime. By default, tsx reads the tsconfig of the working directory.
register({ tsconfig: `${import.meta.dirname}/../tsconfig.json` });
