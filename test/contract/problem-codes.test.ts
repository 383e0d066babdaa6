import { expect, test } from 'vitest';
import { conflictCodes, ServiceError } from '../../lib/domain/errors.ts';
import { defaultSite } from '../../lib/domain/site.ts';
import { toProblem } from '../../lib/http/problem.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { problemCodes, problems } from '../../lib/operations/problems.ts';
import { registry } from '../../lib/operations/registry.ts';
import { referencePage } from '../../lib/pages/reference/page.tsx';

/**
 * Codes that client programs depend on. A line may be added. Renaming or removing a code, or changing its status,
 * breaks clients.
 */
const promised = `
field_invalid 400, id_reserved 400, body_malformed 400, secret_in_url 400, invalid_request 400
unauthenticated 401
access_denied 403, bearer_token_required 403, account_disabled 403
not_found 404, route_not_found 404, method_not_allowed 405
account_exists 409, account_id_taken 409, account_not_empty 409, adoption_required 409, already_member 409
already_offered 409, already_registered 409, already_trusted 409
concurrent_change 409, data_connection_id_taken 409, data_connection_refused 409, files_being_deleted 409, idempotency_in_progress 409, invitation_declined 409
issuer_unusable 409, last_owner 409, limit_reached 409, place_taken 409, repository_id_taken 409, secret_shown_once 409
service_account_id_taken 409, version_name_taken 409, wrong_state 409
stale 412, payload_too_large 413, unsupported_media_type 415, idempotency_mismatch 422, throttled 429
internal 500, not_implemented 501, unavailable 503
`;
const rows = promised.split(/[\n,]/).flatMap((row) => (row.trim() === '' ? [] : [row.trim()]));

test('the API has exactly the documented codes and statuses', () => {
  expect(Object.entries(problems).map(([code, { status }]) => `${code} ${status}`)).toEqual(rows);
  expect(conflictCodes.filter((code) => problems[code].status !== 409)).toEqual([]);
});

test('the document lists all codes, and the reference explains each at the URL in `type`', () => {
  const document = openApiDocument(registry);
  expect(JSON.stringify(document.components.schemas['Problem'])).toContain(JSON.stringify(problemCodes));
  const { html } = referencePage(document, defaultSite);
  for (const code of problemCodes) expect(html, code).toContain(`id="problem-${code}"`);
});

test('a problem has its code and a link to its explanation, and codes of other protocols become the nearest code', () => {
  expect(toProblem(new ServiceError('last_owner', 'Make someone else an owner first'), 'r-1')).toEqual({
    type: '/api/v1/docs#problem-last_owner',
    code: 'last_owner',
    title: 'Conflict',
    status: 409,
    detail: 'Make someone else an owner first',
    request_id: 'r-1',
  });
  expect(toProblem(new ServiceError('bad_digest', 'It differs'), 'r-2')).toMatchObject({ code: 'invalid_request' });
});
