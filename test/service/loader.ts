import { fileURLToPath } from 'node:url';

/**
 * Node's arguments for a child process that runs a file of the project, as in package.json. A path, since Python splits
 * BROWSER at colons.
 */
export const loader = ['--import', fileURLToPath(new URL('../../bin/loader.js', import.meta.url))] as const;
