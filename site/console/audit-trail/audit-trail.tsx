import { useState } from 'preact/hooks';
import { answerOf, api, pageQuery, type Schemas } from '../api/client.ts';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
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
        Who did what in this account, newest first. Events are kept for 400 days. Files that were read, uploaded or
        deleted are not among them.
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
  const isFiltered = filter.kind !== '' || filter.service_account_id !== '';
  const options = [['', 'Everything'] as const, ...Object.entries(kindLabels)];
  return (
    <Form
      onSubmit={async () => show({ ...draft, service_account_id: draft.service_account_id.trim() })}
      submitLabel="Show"
      losesNothing
    >
      {() => (
        <>
          <Field
            label="What happened"
            name="kind"
            kind="select"
            value={draft.kind}
            options={options}
            onChange={(kind) => setDraft({ ...draft, kind })}
          />
          <Field
            label="To the service account"
            name="service_account_id"
            value={draft.service_account_id}
            isVerbatim
            hint={
              <>
                Such as <code>{account_id}--upload</code>. Empty for all.
              </>
            }
            onChange={(service_account_id) => setDraft({ ...draft, service_account_id })}
          />
          {isFiltered && (
            <p>
              <button type="button" class="plain" onClick={() => show({ kind: '', service_account_id: '' })}>
                Show everything
              </button>
            </p>
          )}
        </>
      )}
    </Form>
  );
}

function Events({ account_id, filter }: { account_id: string; filter: Filter }) {
  const { kind, service_account_id } = filter;
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/accounts/{account_id}/audit-events', {
          params: {
            path: { account_id },
            query: {
              ...pageQuery(cursor),
              ...(kind === '' ? {} : { kind: kind as Kind }),
              ...(service_account_id === '' ? {} : { service_account_id }),
            },
          },
        }),
      ),
    [account_id, kind, service_account_id],
  );
  const state = list.state.value;
  const events = state.kind === 'ready' ? state.value.items : none;
  const names = useNames(account_id, events);
  const row = (event: Event) => (
    <>
      <td class="when">
        <Minute time={Date.parse(event.time)} />
      </td>
      <td>
        {describeEvent(event)}
        <br />
        <code class="soft">{event.kind}</code>
      </td>
      <td>
        <Who event={event} />
      </td>
      <td>
        <What event={event} account_id={account_id} names={names} />
      </td>
    </>
  );
  return (
    <List
      list={list}
      label="Audit trail"
      columns={['When', 'What', 'Who', 'To which']}
      row={row}
      empty={
        kind === '' && service_account_id === '' ? (
          <p>Nothing happened yet. What anybody changes in this account is told here.</p>
        ) : (
          <p>Nothing fits. Choose something else, or show everything.</p>
        )
      }
    />
  );
}

function Who({ event }: { event: Event }) {
  const { account_id, account_name, access_key_id } = event.actor;
  return (
    <>
      {account_id !== null && (
        <>
          <a href={hrefOf(`/accounts/${encodeURIComponent(account_id)}`)}>{account_name || account_id}</a>
          {account_name && (
            <>
              {' '}
              <span class="soft">{account_id}</span>
            </>
          )}
          <br />
        </>
      )}
      <span class="soft">
        {describeCaller(event)}
        {access_key_id !== undefined && (
          <>
            {' '}
            <code>{access_key_id}</code>
          </>
        )}
      </span>
    </>
  );
}

interface WhatProps {
  event: Event;
  account_id: string;
  names: Names;
}

function What({ event: { subject, request_id }, account_id, names }: WhatProps) {
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
