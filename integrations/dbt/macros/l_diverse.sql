{#- Classes with too few values of a sensitive attribute. kind: distinct, entropy or recursive (c). -#}
{% test l_diverse(model, quasi_identifiers, sensitive, l, kind='distinct', c=none) %}
{%- set keys = quasi_identifiers | join(', ') -%}
{%- if kind == 'distinct' %}
select {{ keys }}, count(*) as kanonym_size, {{ kanonym.kanonym_distinct(sensitive) }} as kanonym_l
from {{ model }}
group by {{ keys }}
having {{ kanonym.kanonym_distinct(sensitive) }} < {{ l }}
{%- elif kind == 'entropy' %}
select {{ keys }}, sum(kanonym_n) as kanonym_size, exp(-sum(kanonym_q * ln(kanonym_q))) as kanonym_l
from ({{ kanonym.kanonym_shares(model, quasi_identifiers, sensitive) }}) kanonym_shares
group by {{ keys }}
having exp(-sum(kanonym_q * ln(kanonym_q))) < {{ kanonym.kanonym_limit(l, -1) }}
{%- elif kind == 'recursive' and c is not none %}
select {{ keys }}, sum(kanonym_n) as kanonym_size, max(kanonym_n) as kanonym_largest
from ({{ kanonym.kanonym_shares(model, quasi_identifiers, sensitive) }}) kanonym_shares
group by {{ keys }}
having count(*) < {{ l }}
  or max(kanonym_n) >= {{ c }} * sum(case when kanonym_rank >= {{ l }} then kanonym_n else 0 end)
{%- else %}
{{ exceptions.raise_compiler_error("l_diverse: kind is distinct, entropy, or recursive with c") }}
{%- endif %}
{% endtest %}

{#- A threshold with the slack that kanonym gives sums of fractions. -#}
{% macro kanonym_limit(threshold, sign) -%}
cast({{ threshold + sign * 1e-12 * ([1, threshold] | max) }} as {{ kanonym.kanonym_double() }})
{%- endmacro %}

{#- Each value of each class: how often, its share there (q) and in the table (p), its rank. -#}
{% macro kanonym_shares(model, quasi_identifiers, sensitive) -%}
{%- set keys = quasi_identifiers | join(', ') -%}
select {{ keys }}, kanonym_value, kanonym_n,
  cast(kanonym_n as {{ kanonym.kanonym_double() }}) / sum(kanonym_n) over (partition by {{ keys }}) as kanonym_q,
  cast(sum(kanonym_n) over (partition by kanonym_value) as {{ kanonym.kanonym_double() }})
    / sum(kanonym_n) over () as kanonym_p,
  row_number() over (partition by {{ keys }} order by kanonym_n desc) as kanonym_rank
from ({{ kanonym.kanonym_counts(model, quasi_identifiers, sensitive) }}) kanonym_counts
{%- endmacro %}

{% macro kanonym_counts(model, quasi_identifiers, sensitive) -%}
{%- set keys = quasi_identifiers | join(', ') -%}
select {{ keys }}, kanonym_value, count(*) as kanonym_n
from (select {{ keys }}, {{ sensitive }} as kanonym_value from {{ model }}) kanonym_rows
group by {{ keys }}, kanonym_value
{%- endmacro %}
