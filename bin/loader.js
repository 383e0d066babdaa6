// Every command starts with this file: `node --import ./bin/loader.js bin/<command>.ts`. It is plain JavaScript,
// because a Node before 24 would fail at TypeScript with a stack trace that does not name the cause. npm starts the
// machine's Node when the install script of the project's own Node was not allowed to run.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `This needs Node 24 and runs on ${process.version}: install it with "npm ci --ignore-scripts=false", and start this with npm.`,
  );
  process.exit(1);
}

const { readFileSync } = await import('node:fs');
const { createRequire, registerHooks, setSourceMapsSupport } = await import('node:module');
const { fileURLToPath } = await import('node:url');

const require = createRequire(import.meta.url);
setSourceMapsSupport(true);

// Node strips types by itself, but it does not compile JSX.
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context);
    const sourcefile = fileURLToPath(url);
    const { code } = require('esbuild').transformSync(readFileSync(sourcefile, 'utf8'), {
      sourcefile,
      loader: 'tsx',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      sourcemap: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
