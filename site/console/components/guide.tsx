import type { ComponentChildren } from 'preact';

export interface GuideStep {
  title: string;
  state: 'done' | 'open' | 'later';
  children?: ComponentChildren;
}

/** Renders numbered steps. For steps after the current one, shows only the title. */
export function Guide({ label, steps }: { label: string; steps: readonly GuideStep[] }) {
  const next = steps.find(({ state }) => state === 'open');
  return (
    <ol class="replace guide" aria-label={label}>
      {steps.map((step) => (
        <li key={step.title} class={step.state} aria-current={step === next ? 'step' : undefined}>
          <h3>
            {step.title} {step.state === 'done' && <span class="badge live">done</span>}
          </h3>
          {step.state !== 'later' && step.children}
        </li>
      ))}
    </ol>
  );
}
