import { useId } from 'preact/hooks';
import { useFault } from './form.tsx';

export interface ChoiceOption<Value extends string> {
  value: Value;
  label: string;
  note?: string;
  badge?: string | undefined;
}

interface ChoiceProps<Value extends string> {
  legend: string;
  /** The path of the field in the request body. An API error for this path appears below the options. */
  name: string;
  value: Value;
  options: readonly ChoiceOption<Value>[];
  onChange: (value: Value) => void;
}

/** Renders a choice with a description of each option. */
export function Choice<Value extends string>({ legend, name, value, options, onChange }: ChoiceProps<Value>) {
  const id = useId();
  const fault = useFault(name);
  return (
    <fieldset class="field choice" aria-describedby={fault && id}>
      <legend>{legend}</legend>
      <div>
        {options.map((each) => (
          <label key={each.value}>
            <input
              type="radio"
              name={name}
              value={each.value}
              checked={each.value === value}
              aria-labelledby={`${id}-${each.value}`}
              aria-describedby={each.note && `${id}-${each.value}-note`}
              onChange={() => onChange(each.value)}
            />
            <span>
              <span id={`${id}-${each.value}`}>
                {each.label} {each.badge !== undefined && <span class="badge">{each.badge}</span>}
              </span>
              {each.note !== undefined && <small id={`${id}-${each.value}-note`}>{each.note}</small>}
            </span>
          </label>
        ))}
      </div>
      {fault !== undefined && (
        <p class="fault" id={id}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
