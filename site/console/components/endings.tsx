import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { type Confirmation, useConfirm } from './dialogs.tsx';
import { notifyRefusal } from './notices.tsx';
import { type Stored, useChange, type Values } from './stale.tsx';

export type Ending = {
  /** The text above the button. It explains the effect of the action. */
  sentence: string;
  label: string;
} & (
  | { confirmation: Confirmation }
  /** Undoes an earlier action, for example enables an account again. Needs no confirmation. */
  | { restore: () => Promise<unknown> }
  /** The reasons that prevent the action. The view shows them instead of the button. */
  | { blockedBy: ComponentChildren }
);

/** Renders the destructive actions of a view in a separate section. Actions that are `false` are not shown. */
export function Endings({ title, actions }: { title: string; actions: readonly (Ending | false)[] }) {
  const { confirm, confirmDialog } = useConfirm();
  const shown = actions.filter((action) => action !== false);
  if (shown.length === 0) return null;
  return (
    <section class="block endings">
      <h3>{title}</h3>
      {shown.map((action) => (
        <div class="ending" key={action.label}>
          <p>{action.sentence}</p>
          {'blockedBy' in action ? (
            <div class="blocked">{action.blockedBy}</div>
          ) : 'restore' in action ? (
            <Button label={action.label} onClick={() => void action.restore().catch(notifyRefusal)} />
          ) : (
            <Button kind="button second ends" label={action.label} onClick={() => confirm(action.confirmation)} />
          )}
        </div>
      ))}
      {confirmDialog}
    </section>
  );
}

interface LifecycleProps<Of extends Values> {
  title?: string;
  name: string;
  /** An action is `false` if the user may not perform it, or if the resource's state does not allow it. */
  enable: false | { sentence: string; label?: string; send: () => Promise<unknown> };
  /**
   * `send` gets the header for a conditional request with the ETag of `stored`, and the reason if the dialog asks for
   * one.
   */
  disable:
    | false
    | {
        sentence: string;
        stops: string[];
        stored: Stored<Of>;
        asksReason?: true;
        send: (header: object, reason: string) => Promise<unknown>;
      };
  remove:
    | false
    | {
        sentence: string;
        stops: string[];
        choices?: Confirmation['choices'];
        send: (chosen: ReadonlySet<string>) => Promise<unknown>;
      };
}

/** Renders the actions that enable, disable, and delete an account, a repository, or a service account. */
export function Lifecycle<Of extends Values>(props: LifecycleProps<Of>) {
  const { title = 'Disable or delete', name, enable, disable, remove } = props;
  const { change, staleDialog } = useChange();
  const actions = [
    enable && { sentence: enable.sentence, label: enable.label ?? 'Enable again', restore: enable.send },
    disable && {
      sentence: disable.sentence,
      label: 'Disable …',
      confirmation: {
        title: `Disable ${name}?`,
        action: 'Disable',
        stops: disable.stops,
        reason: disable.asksReason && {
          label: 'Reason',
          hint: 'Optional. Members with access to the settings see it, for example “Moved to another repository”.',
        },
        onConfirm: (_chosen: ReadonlySet<string>, reason: string) => {
          const yours = { ...disable.stored.was.values, disabled: true };
          return change({ ...disable.stored, yours, save: (_, header) => disable.send(header, reason) });
        },
      },
    },
    remove && {
      sentence: remove.sentence,
      label: 'Delete …',
      confirmation: {
        title: `Delete ${name} for good?`,
        name,
        action: 'Delete for good',
        stops: remove.stops,
        choices: remove.choices,
        onConfirm: remove.send,
      },
    },
  ];
  return (
    <>
      <Endings title={title} actions={actions} />
      {staleDialog}
    </>
  );
}
