import { isSignedReport, leakUrl, leakVerdict, reportHeaders } from '../../lib/domain/changes/leaked-key-reports.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { parseLeakedToken } from '../../lib/domain/secrets/leaked-keys.ts';
import { parseJsonBody } from '../../lib/http/validate.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { reportFoundKeys } from '../../lib/operations/public.ts';

const atOnce = 25;

export const handler = apiFunction(reportFoundKeys, async ({ body, services, now }) => {
  const { findPartnerKey } = services;
  if (findPartnerKey === undefined)
    throw new ServiceError('route_not_found', 'No such route; /api/v1/docs lists the routes there are');
  const identifier = body.headers[reportHeaders.keyIdentifier];
  const signature = body.headers[reportHeaders.signature];
  const key = identifier === undefined || signature === undefined ? undefined : await findPartnerKey(identifier);
  if (key === undefined || signature === undefined || !isSignedReport(body.bytes, signature, key))
    throw new ServiceError('access_denied', "The report is not signed with one of the partner programme's keys");

  const found = parseJsonBody(reportFoundKeys.signedBody.schema, body.bytes);
  const revoke = async (match: (typeof found)[number]) => {
    const key = parseLeakedToken(match.token);
    const { apiKeys, serviceAccountKeys } = services.store;
    const foundAt = leakUrl(match.url);
    const isKey =
      key !== undefined &&
      (key.kind === 'api_key'
        ? await apiKeys.revokeReported(key, foundAt, now)
        : await serviceAccountKeys.revokeReported(key.key_hash, foundAt, now));
    return leakVerdict(match, isKey);
  };
  const verdicts = [];
  for (let start = 0; start < found.length; start += atOnce)
    verdicts.push(...(await Promise.all(found.slice(start, start + atOnce).map(revoke))));
  return verdicts;
});
