import { Lines } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { hrefOf } from '../router.ts';
import { describeCaller, type EventGroup, pathOfSubject, sentenceOf, valueName } from './descriptions.ts';
import type { Names } from './names.ts';

export interface EventProps {
  event: EventGroup;
  account_id: string;
  names: Names;
}

/** Says who did what, with links to the actor and to the resources. */
export function Sentence({ event, account_id, names }: EventProps) {
  const { actor, subject } = event;
  const how = describeCaller(event);
  return (
    <Lines
      of={[
        <>
          {actor.account_id === null ? (
            <strong>{how.charAt(0).toUpperCase() + how.slice(1)}</strong>
          ) : (
            <a href={hrefOf(`/accounts/${encodeURIComponent(actor.account_id)}`)}>
              <bdi>{actor.account_name || actor.account_id}</bdi>
            </a>
          )}{' '}
          {sentenceOf(event).map((piece) =>
            'text' in piece ? (
              piece.text
            ) : (
              <Named
                {...piece}
                path={pathOfSubject(piece.field, piece.value, subject, account_id)}
                event={event}
                names={names}
              />
            ),
          )}
        </>,
        actor.account_id !== null && (
          <>
            {actor.account_name && `${actor.account_id}, `}
            {how}
          </>
        ),
      ]}
    />
  );
}

/** Shows the time of the event, and the number of equal events before it. */
export function Times({ event: { time, repeats } }: { event: EventGroup }) {
  return (
    <Lines
      of={[
        <Minute time={Date.parse(time)} />,
        repeats && (
          <>
            {repeats.count} times since <Minute time={Date.parse(repeats.since)} />
          </>
        ),
      ]}
    />
  );
}

interface NamedProps {
  field: string;
  value: string;
  path: string | undefined;
  event: EventGroup;
  names: Names;
}

/**
 * Shows the display name of a field's value. The name is a link if the value is the ID of a resource with a view. A
 * UUID without a name is never shown.
 */
function Named({ field, value, path, event: { subject }, names }: NamedProps) {
  const list = field === 'key_id' ? 'keys' : field === 'workflow_id' ? 'workflows' : undefined;
  const isDeleted = list !== undefined && names.has(`${list} of ${subject['service_account_id']}`);
  const unnamed = isDeleted ? '(deleted)' : '';
  const words = names.get(value) ?? (list === undefined ? valueName(field, value) : unnamed);
  return path === undefined ? (
    <bdi>{words}</bdi>
  ) : (
    <a href={hrefOf(path)}>
      <bdi>{words}</bdi>
    </a>
  );
}
