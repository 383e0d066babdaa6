import { findClient, findEachRelease, type InstalledClient } from './installed-client.ts';

/** What install.sh makes environments of. */
type Environment = 'tools' | 'newest' | 'oldest' | 'croissant';

/** Python with a library in it, for programs given as `-c` and a text or as a file. */
export function findPythonClient(library: string, environment: Environment): InstalledClient {
  return findClient(library, [`.clients/${environment}/bin/python`, '-B'], { versionArgs: tellVersion(library) });
}

/** The newest, the oldest that reads the endpoint settings, and the system's. */
export const boto3s = findEachRelease(
  'boto3',
  ['.clients/newest/bin/python', 'python3', '.clients/oldest/bin/python', '/usr/bin/python3'],
  ['-B'],
  { versionArgs: tellVersion('boto3') },
);

function tellVersion(library: string): string[] {
  return ['-c', `from importlib.metadata import version; print(version("${library}"))`];
}
