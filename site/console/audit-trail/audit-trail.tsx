import { useState } from 'preact/hooks';
import { api, type Called, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import {
  type EventGroup,
  groupEvents,
  type Kind,
  kindLabels,
  pathOfSubject,
  subjectName,
  valueName,
} from './descriptions.ts';
import { useNames } from './names.ts';
import { type EventProps, Sentence, Times } from './sentence.tsx';

type Event = Schemas['AuditEvent'];

const none: readonly Event[] = [];

const noFilter = { kind: '', actor_account_id: '', service_account_id: '', from: '', to: '' };
type Filter = typeof noFilter;
const filterNames = Object.keys(noFilter) as (keyof Filter)[];

/** Lists the account's audit events, newest first. The filter is in the URL, so that users can share it. */
export function View({ account: { account_id }, query }: AccountViewProps) {
  const read = filterNames.map((name) => [name, query.get(name) ?? '']);
  const filter: Filter = { ...noFilter, ...Object.fromEntries(read) };
  return (
    <>
      <p class="lead">
        The changes in this account, newest first. Events are stored for 400 days. Reads, uploads and deletions of files
        are not recorded.
      </p>
      <div class="filters">
        <Filters key={JSON.stringify(filter)} account_id={account_id} filter={filter} />
      </div>
      <Events account_id={account_id} filter={filter} />
    </>
  );
}

function Filters({ account_id, filter }: { account_id: string; filter: Filter }) {
  const [draft, setDraft] = useState(filter);
  const path = `/accounts/${account_id}/audit-trail`;
  const show = (chosen: Filter) => {
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''));
    goTo(query.size === 0 ? path : `${path}?${query}`);
  };
  return (
    <Form
      onSubmit={async () =>
        show({
          ...draft,
          actor_account_id: draft.actor_account_id.trim(),
          service_account_id: draft.service_account_id.trim(),
        })
      }
      submitLabel="Show"
      losesNothing
      values={draft}
      onChange={setDraft}
      fields={[
        { name: 'kind', label: 'Event', options: [['', 'All events'], ...Object.entries(kindLabels)] },
        {
          name: 'actor_account_id',
          label: 'Done by',
          isVerbatim: true,
          hint: 'The account ID of a person. Empty for all.',
        },
        {
          name: 'service_account_id',
          label: 'Service account',
          isVerbatim: true,
          hint: (
            <>
              For example <code>{account_id}--upload</code>. Empty for all.
            </>
          ),
        },
        { name: 'from', label: 'From', kind: 'date' },
        { name: 'to', label: 'To', kind: 'date' },
        filterNames.some((name) => filter[name] !== '') && (
          <p>
            <Button kind="plain" label="Show all events" onClick={() => show(noFilter)} />
          </p>
        ),
      ]}
    />
  );
}

function Events({ account_id, filter }: { account_id: string; filter: Filter }) {
  const { kind, ...others } = filter;
  const chosen = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== ''));
  const list = useList(
    (query): Promise<Called<readonly EventGroup[]>> =>
      api.GET('/accounts/{account_id}/audit-events', {
        params: {
          path: { account_id },
          query: { ...query, ...chosen, ...(kind === '' ? {} : { kind: kind as Kind }) },
        },
      }),
    [account_id, JSON.stringify(filter)],
  );
  const state = list.state.value;
  const names = useNames(account_id, state.kind === 'ready' ? state.value.items : none);
  return (
    <List
      list={list}
      label="Audit trail"
      arrange={groupEvents}
      columns={[
        { title: 'Time', class: 'when', cell: (event) => <Times event={event} /> },
        {
          title: 'Event',
          cell: (event) => (
            <>
              <Sentence event={event} account_id={account_id} names={names} />
              <Details event={event} account_id={account_id} names={names} />
            </>
          ),
        },
      ]}
      empty={
        filterNames.every((name) => filter[name] === '')
          ? 'There is no event yet. Changes in this account appear here.'
          : 'No event matches the filter.'
      }
    />
  );
}

/** Shows the fields of the event and its request, for users who compare it with logs. */
function Details({ event: { kind, actor, subject, request_id }, account_id, names }: EventProps) {
  return (
    <details>
      <summary>Details</summary>
      <dl class="subject">
        <div>
          <dt>type</dt>
          <dd>
            <code>{kind}</code>
          </dd>
        </div>
        {actor.access_key_id !== undefined && (
          <div>
            <dt>with API key</dt>
            <dd>
              <code>{actor.access_key_id}</code>
            </dd>
          </div>
        )}
        {Object.entries(subject).map(([name, value]) => {
          const path = pathOfSubject(name, value, subject, account_id);
          const shown = names.get(value);
          return (
            <div key={name}>
              <dt>{subjectName(name)}</dt>
              <dd>
                {shown !== undefined && (
                  <>
                    <bdi>{shown}</bdi>
                    <br />
                  </>
                )}
                {path === undefined ? (
                  <span class={shown && 'soft'}>{valueName(name, value)}</span>
                ) : (
                  <a href={hrefOf(path)}>{value}</a>
                )}
              </dd>
            </div>
          );
        })}
        {request_id !== '' && (
          <div>
            <dt>request</dt>
            <dd>
              <code>{request_id}</code>
            </dd>
          </div>
        )}
      </dl>
    </details>
  );
}
