import path from 'node:path';
import { buildSync } from 'esbuild';
import type { ViewerFunctions, ViewerSettings } from '../edge/viewer/events.ts';

const folder = path.resolve(import.meta.dirname, '../edge/viewer');
const compiled = new Map<keyof ViewerFunctions, string>();

/**
 * Returns the source code of a viewer function, which CloudFront limits to 10 KB. The local emulator of CloudFront runs
 * the same code.
 */
export function viewerFunctionSource(name: keyof ViewerFunctions, settings: ViewerSettings = {}): string {
  const code = compiled.get(name) ?? compile(name);
  compiled.set(name, code);
  return `${code}\nfunction handler(event) {\n  return handle(event, ${JSON.stringify(settings)});\n}\n`;
}

/**
 * Compiles a file in `lib/edge/viewer` and its imports to JavaScript for the runtime cloudfront-js-2.0. The runtime
 * supports ES 5.1 with `const`, `let`, arrow functions, and template literals. esbuild reports an error for any other
 * syntax.
 */
function compile(name: keyof ViewerFunctions): string {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(folder, `${name}.ts`)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es5',
    supported: { 'const-and-let': true, arrow: true, 'template-literal': true },
    legalComments: 'none',
    logLevel: 'warning',
  });
  // Remove the export, because the runtime does not support modules.
  const code = (outputFiles[0]?.text ?? '').replace(/\nexport \{[\w\s,]*\};\s*$/, '').replace(/^\/\/ .*\n/gm, '');
  if (!/^function handle\(/m.test(code)) throw new Error(`the viewer function ${name} did not compile`);
  return code;
}

/** Returns a function that runs the compiled source code of a viewer function. It changes the event that it gets. */
export function runnableViewerFunction<Name extends keyof ViewerFunctions>(
  name: Name,
  settings?: ViewerSettings,
): (event: Parameters<ViewerFunctions[Name]>[0]) => ReturnType<ViewerFunctions[Name]> {
  return new Function(`'use strict';\n${viewerFunctionSource(name, settings)}\nreturn handler;`)();
}
