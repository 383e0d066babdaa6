// Plain JavaScript, looked at before all else: an older Node knows no TypeScript and ends with a stack that says nothing.
// It is the Node of the machine that runs where npm was not allowed to run the script that installs the project's.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: bring it with "npm ci --ignore-scripts=false", and start this with npm.`,
  );
  process.exit(1);
}
