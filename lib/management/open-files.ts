import type { FileFacts, OpenDataReader, RepositoryPlace } from '../domain/data/open-data.ts';
import { ServiceError } from '../domain/errors.ts';
import { notFound } from '../http/targets.ts';

/** What is known of a file that anyone may read. Throws not-found, and `unavailable` where the data proxy cannot be asked. */
export async function loadOpenFile(openData: OpenDataReader, place: RepositoryPlace, key: string): Promise<FileFacts> {
  const facts = await openData.findFile(place, key);
  if (facts === 'absent') return notFound('file');
  if (facts === 'unavailable') {
    throw new ServiceError('unavailable', 'The file cannot be read at the moment; try again in a few seconds');
  }
  return facts;
}
