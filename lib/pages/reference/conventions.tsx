import type { ComponentChildren } from 'preact';
import { Paragraphs, Prose } from './text.tsx';

/**
 * The conventions of the API's fields, with their exceptions. A test checks that new fields follow the text in `rule`.
 */
export const conventions: readonly { what: string; rule: string; exceptions: string }[] = [
  {
    what: 'Name of a key',
    rule: '`name`, as in API keys.',
    exceptions: 'Keys of service accounts have `label`. The list of the keys that a user created has `name` for both.',
  },
  {
    what: 'Expiry',
    rule: '`expires_at` in responses; null means never.',
    exceptions:
      'API keys have `expires`, a time, in request and response. The request for a service-account key has `expiry`, a duration from now.',
  },
  {
    what: 'Time of an event',
    rule: '`<event>_at`: `created_at`, `last_used_at`, `blocked_at`.',
    exceptions:
      '`published` and `updated` of repositories, `newest_change` of inventories, `state_changed` of memberships and transfers, `time` of audit events and refused sign-ins.',
  },
  {
    what: 'ID and name',
    rule: '`<thing>_id`. Lists add `<thing>_name`, the name in the public profile of the account.',
    exceptions: '`to` and `created_by` are IDs of accounts, with `to_name` and `created_by_name`.',
  },
  {
    what: 'State',
    rule: '`state`, one of a closed list of words.',
    exceptions:
      '`disabled` of accounts, repositories, service accounts, and API keys; `read_only` of data connections.',
  },
  {
    what: 'Update of some fields',
    rule: '`PATCH`: absent fields keep their values, and null clears a field.',
    exceptions:
      '`PUT` of a profile works like this. `PUT` of a repository keeps absent optional fields of `meta`, and `PUT` of a data connection keeps its credentials.',
  },
  {
    what: 'Replacement',
    rule: '`PUT`: the request body becomes the new state. It creates an absent resource (201).',
    exceptions: '`PUT` of a data mode accepts `adopt_objects`, a consent that is not stored.',
  },
  {
    what: 'Deletion',
    rule: '`DELETE` answers 204, and 404 if it is repeated.',
    exceptions:
      '`DELETE` of an account, a repository, a data connection, an API key, or a service-account key disables or revokes it: 200 with the resource, each time. `POST …/delete` deletes accounts and repositories permanently.',
  },
  {
    what: 'Disabling',
    rule: '`POST …/disable` and `POST …/enable`, as for service accounts.',
    exceptions: '`DELETE` disables accounts, repositories, and data connections.',
  },
  {
    what: 'Request body',
    rule: 'An object. Unknown fields are an error.',
    exceptions: 'A new role is a bare string. Flags are a bare array, and so is the report of a scanning partner.',
  },
];

const introduction =
  'The exceptions have fixed names that do not change. Every new field and operation follows the rule.';

export function conventionsSection(): ComponentChildren {
  return (
    <>
      <Paragraphs text={introduction} />
      <table class="fields conventions">
        <thead>
          <tr>
            <th scope="col">Subject</th>
            <th scope="col">Rule</th>
            <th scope="col">Exceptions</th>
          </tr>
        </thead>
        <tbody>
          {conventions.map(({ what, rule, exceptions }) => (
            <tr>
              <th scope="row">{what}</th>
              <td>
                <Prose text={rule} />
              </td>
              <td>
                <Prose text={exceptions} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
