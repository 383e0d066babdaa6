import type { JSX } from 'preact';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'label'> & {
  label: string;
  /** The CSS classes. The default is a button for a secondary action. */
  kind?: 'button' | 'button second' | 'button danger' | 'button second ends' | 'plain' | 'small';
  /**
   * The name of the thing that the button acts on, for screen readers. Set it when several buttons of a view have the
   * same label.
   */
  of?: string | undefined;
};

export function Button({ label, kind = 'button second', of, ...more }: ButtonProps) {
  const name = of && `${label.replace(' …', '')} ${of}`;
  return (
    <button type="button" class={kind} aria-label={name} {...more}>
      {label}
    </button>
  );
}
