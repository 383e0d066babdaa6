import type { FileMetadata, OpenDataReader, RepositoryPath } from '../domain/data/open-data.ts';
import { ServiceError } from '../domain/errors.ts';

/** Returns the metadata of a public file. Throws `unavailable` when the data proxy does not respond. */
export async function findOpenFile(
  openData: OpenDataReader,
  place: RepositoryPath,
  key: string,
): Promise<FileMetadata | undefined> {
  const facts = await openData.findFile(place, key);
  if (facts === 'absent') return undefined;
  if (facts === 'unavailable') {
    throw new ServiceError('unavailable', 'The file cannot be read at the moment; try again in a few seconds');
  }
  return facts;
}
