import { useState } from 'preact/hooks';
import { Bounded } from '../components/bounded.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { hrefOf } from '../router.ts';

interface Option {
  name: string;
  id: string;
  href: string;
}

interface ChosenLinkProps {
  label: string;
  kind: 'button' | 'button second';
  /** The title of the dialog, if there are several options. */
  question: string;
  options: readonly Option[];
}

const shownAtFirst = 10;

/** Renders a link, or a button that asks where to go if there are several options. Shows nothing without an option. */
export function ChosenLink({ label, kind, question, options }: ChosenLinkProps) {
  const [isOpen, setOpen] = useState(false);
  const [only] = options;
  if (only === undefined) return null;
  if (options.length === 1) {
    return (
      <a class={kind} href={hrefOf(only.href)}>
        {label}
      </a>
    );
  }
  return (
    <>
      <Button kind={kind} label={`${label} …`} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={question} onClose={() => setOpen(false)}>
          <Bounded items={options} max={shownAtFirst} of="entries">
            {(shown) => (
              <ul class="people">
                {shown.map(({ name, id, href }) => (
                  <li key={href}>
                    <a href={hrefOf(href)}>{name}</a> <span class="soft">{id}</span>
                  </li>
                ))}
              </ul>
            )}
          </Bounded>
        </Dialog>
      )}
    </>
  );
}
