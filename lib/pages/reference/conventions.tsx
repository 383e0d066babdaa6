import type { ComponentChildren } from 'preact';
import { Prose } from './text.tsx';

/**
 * Conventions that have two forms, because clients of the first contract rely on the older one. New fields follow
 * `rule`. A test checks that nothing new follows `older`.
 */
export const conventions: readonly { what: string; rule: string; older: string }[] = [
  {
    what: 'The label of a key',
    rule: '`name`, as API keys have it.',
    older: 'Keys of service accounts have `label`; the list of the keys that somebody made has `name` for both.',
  },
  {
    what: 'When something ends',
    rule: '`expires_at` in answers, null for never.',
    older:
      'API keys have `expires`, a time, in request and answer. A key of a service account is asked for by a span, `expiry`, counted from now.',
  },
  {
    what: 'When something happened',
    rule: '`<what>_at`: `created_at`, `last_used_at`, `blocked_at`.',
    older:
      '`published` and `updated` of repositories, `state_changed` of memberships and transfers, `time` of audit events and refused sign-ins.',
  },
  {
    what: 'An ID and its name',
    rule: '`<thing>_id`, in lists with `<thing>_name` beside it: what the account calls itself in its public profile.',
    older: '`to` and `created_by` are IDs of accounts, with `to_name` and `created_by_name`.',
  },
  {
    what: 'Whether something counts',
    rule: '`state`, one of a closed list of words.',
    older: '`disabled` of accounts, repositories, service accounts and API keys; `read_only` of data connections.',
  },
  {
    what: 'Changing some fields',
    rule: '`PATCH`: what is left out stays, null clears.',
    older:
      '`PUT` of a profile does that. `PUT` of a repository keeps optional fields of `meta` that are left out, `PUT` of a data connection its credentials.',
  },
  {
    what: 'Setting the whole',
    rule: '`PUT`: what is sent is what is there afterwards. It makes what was not there (201).',
    older: '`PUT` of a data mode takes `adopt_objects` beside it, which is a consent and not stored.',
  },
  {
    what: 'Taking away',
    rule: '`DELETE`: it is gone, 204, and 404 when it is done again.',
    older:
      '`DELETE` of an account, a repository, a data connection, an API key or a key of a service account disables or revokes it: 200 with the thing, each time. For good, accounts and repositories go by `POST …/delete`.',
  },
  {
    what: 'Switching off and on',
    rule: '`POST …/disable` and `POST …/enable`, as of service accounts.',
    older: '`DELETE` switches accounts, repositories and data connections off.',
  },
  {
    what: 'The body of a request',
    rule: 'An object, in which an unknown field is refused.',
    older: 'A new role is a bare string, flags are a bare array, and so is the report of a scanning partner.',
  },
];

export function conventionsSection(): ComponentChildren {
  return (
    <>
      <p>
        Some things have two names, because this API follows an older one whose clients keep working. What is new
        follows the rule, always.
      </p>
      <table class="fields conventions">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">The rule</th>
            <th scope="col">Where it differs</th>
          </tr>
        </thead>
        <tbody>
          {conventions.map(({ what, rule, older }) => (
            <tr>
              <th scope="row">{what}</th>
              <td>
                <Prose text={rule} />
              </td>
              <td>
                <Prose text={older} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
