/** Node's arguments for a child process that runs a file of the project, as the scripts of package.json have them. */
export const loader = ['--import', new URL('../../bin/loader.js', import.meta.url).href] as const;
