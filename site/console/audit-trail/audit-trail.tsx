import { useState } from 'preact/hooks';
import { api, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import {
  describeCaller,
  describeEvent,
  type Kind,
  kindLabels,
  pathOfSubject,
  subjectName,
  valueName,
} from './descriptions.ts';
import { type Names, useNames } from './names.ts';

type Event = Schemas['AuditEvent'];

const none: readonly Event[] = [];

interface Filter {
  kind: string;
  service_account_id: string;
}

/** Lists the account's audit events, newest first. The filter is in the URL, so that users can share it. */
export function View({ account: { account_id }, query }: AccountViewProps) {
  const filter: Filter = {
    kind: query.get('kind') ?? '',
    service_account_id: query.get('service_account_id') ?? '',
  };
  return (
    <>
      <p class="lead">
        The changes in this account, newest first. Events are stored for 400 days. Reads, uploads and deletions of files
        are not recorded.
      </p>
      <div class="filters">
        <Filters key={`${filter.kind} ${filter.service_account_id}`} account_id={account_id} filter={filter} />
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
      onSubmit={async () => show({ ...draft, service_account_id: draft.service_account_id.trim() })}
      submitLabel="Show"
      losesNothing
      values={draft}
      onChange={setDraft}
      fields={[
        { name: 'kind', label: 'Event', options: [['', 'All events'], ...Object.entries(kindLabels)] },
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
        (filter.kind !== '' || filter.service_account_id !== '') && (
          <p>
            <Button kind="plain" label="Show all events" onClick={() => show({ kind: '', service_account_id: '' })} />
          </p>
        ),
      ]}
    />
  );
}

function Events({ account_id, filter }: { account_id: string; filter: Filter }) {
  const { kind, service_account_id } = filter;
  const list = useList(
    (query) =>
      api.GET('/accounts/{account_id}/audit-events', {
        params: {
          path: { account_id },
          query: {
            ...query,
            ...(kind === '' ? {} : { kind: kind as Kind }),
            ...(service_account_id === '' ? {} : { service_account_id }),
          },
        },
      }),
    [account_id, kind, service_account_id],
  );
  const state = list.state.value;
  const names = useNames(account_id, state.kind === 'ready' ? state.value.items : none);
  return (
    <List
      list={list}
      label="Audit trail"
      columns={[
        { title: 'Time', class: 'when', cell: ({ time }) => <Minute time={Date.parse(time)} /> },
        { title: 'Event', cell: (event) => <Lines of={[describeEvent(event), <code>{event.kind}</code>]} /> },
        { title: 'Caller', cell: (event) => <Caller event={event} /> },
        { title: 'Target', cell: (event) => <Target event={event} account_id={account_id} names={names} /> },
      ]}
      empty={
        kind === '' && service_account_id === ''
          ? 'There is no event yet. Changes in this account appear here.'
          : 'No event matches the filter.'
      }
    />
  );
}

function Caller({ event }: { event: Event }) {
  const { account_id, account_name, access_key_id } = event.actor;
  return (
    <>
      {account_id !== null && (
        <>
          <a href={hrefOf(`/accounts/${encodeURIComponent(account_id)}`)}>{account_name || account_id}</a>{' '}
          {account_name && <span class="soft">{account_id}</span>}
          <br />
        </>
      )}
      <span class="soft">
        {describeCaller(event)} {access_key_id !== undefined && <code>{access_key_id}</code>}
      </span>
    </>
  );
}

interface TargetProps {
  event: Event;
  account_id: string;
  names: Names;
}

function Target({ event: { subject, request_id }, account_id, names }: TargetProps) {
  return (
    <dl class="subject">
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
  );
}
