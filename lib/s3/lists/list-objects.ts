import type { Decision } from '../../domain/data/decision.ts';
import type { ObjectRequest } from '../objects/object-request.ts';
import { splitRepository } from '../resource.ts';
import { type Continuation, createContinuations } from './continuation.ts';
import { listAccount } from './list-account.ts';
import { parseListInput } from './list-input.ts';
import { type List, listRepository } from './list-repository.ts';

/** ListObjectsV2 and ListObjects: lists a repository if the prefix names one, and otherwise the account. */
export async function listObjects(request: ObjectRequest): Promise<Decision> {
  const input = parseListInput(request);
  const continuations = createContinuations(request.account_id, await request.sessionKeys(), request.now);
  const { continuationToken: token, after } = input;
  const from: Continuation = token === undefined ? { kind: 'after', after } : continuations.parse(token);
  const list: List = { request, input, continuations, from };
  const { repository_id, key: keyPrefix } = splitRepository(input.prefix);
  return keyPrefix === undefined ? listAccount(list) : listRepository(list, { repository_id, keyPrefix });
}
