/** Node arguments for a child process that runs a file of the project, as in package.json. */
export const loader = ['--import', new URL('../../bin/loader.js', import.meta.url).href] as const;
