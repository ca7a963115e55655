{#- Classes whose values are distributed unlike those of the table. distance: equal or ordered. -#}
{% test t_close(model, quasi_identifiers, sensitive, t, distance='equal') %}
{%- set keys = quasi_identifiers | join(', ') -%}
{%- if distance not in ('equal', 'ordered') %}
{{ exceptions.raise_compiler_error("t_close: distance is equal or ordered") }}
{%- endif %}
{%- set shares = kanonym.kanonym_shares(model, quasi_identifiers, sensitive) -%}
{%- set measure = 'sum(case when kanonym_q > kanonym_p then kanonym_q - kanonym_p else 0 end)' -%}
{%- if distance == 'ordered' -%}
{%- set shares = kanonym.kanonym_running(model, quasi_identifiers, sensitive) -%}
{%- set measure = 'sum(abs(kanonym_gap)) / (case when count(*) > 1 then count(*) - 1 else 1 end)' -%}
{%- endif %}
select {{ keys }}, sum(kanonym_n) as kanonym_size, {{ measure }} as kanonym_t
from ({{ shares }}) kanonym_shares
group by {{ keys }}
having {{ measure }} > {{ kanonym.kanonym_limit(t, 1) }}
{% endtest %}

{#- The running difference of shares over all values of the table in their order, null last. -#}
{% macro kanonym_running(model, quasi_identifiers, sensitive) -%}
{%- set keys = quasi_identifiers | join(', ') -%}
{%- set counts = kanonym.kanonym_counts(model, quasi_identifiers, sensitive) -%}
select {{ keys }}, kanonym_n, sum(kanonym_q - kanonym_p) over (
    partition by {{ keys }}
    order by case when kanonym_value is null then 1 else 0 end, kanonym_value
    rows between unbounded preceding and current row
  ) as kanonym_gap
from (
  select {{ keys }}, kanonym_value, kanonym_n,
    cast(kanonym_n as {{ kanonym.kanonym_double() }}) / sum(kanonym_n) over (partition by {{ keys }}) as kanonym_q,
    cast(sum(kanonym_n) over (partition by kanonym_value) as {{ kanonym.kanonym_double() }})
      / sum(kanonym_n) over () as kanonym_p
  from (
    select {{ keys }}, kanonym_value, sum(kanonym_n) as kanonym_n
    from (
      {{ counts }}
      union all
      select {{ keys }}, kanonym_value, 0 as kanonym_n
      from (select distinct {{ keys }} from {{ model }}) kanonym_classes
      cross join (
        select distinct kanonym_value from ({{ counts }}) kanonym_known
      ) kanonym_values
    ) kanonym_cells
    group by {{ keys }}, kanonym_value
  ) kanonym_grid
) kanonym_both
{%- endmacro %}
