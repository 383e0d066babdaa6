// Every command starts with this file: `node --import ./bin/loader.js bin/<command>.ts`. It is plain JavaScript, because a Node
// before 24 would stop at TypeScript with a stack trace that does not name the cause. npm starts the Node of the machine when
// it was not allowed to run the script that installs the project's own.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it with "npm ci --ignore-scripts=false", and start this with npm.`,
  );
  process.exit(1);
}

const { register } = await import('tsx/esm/api');
// The project's tsconfig names the JSX runtime. By default, tsx reads the one of the folder that the command runs in.
register({ tsconfig: `${import.meta.dirname}/../tsconfig.json` });
