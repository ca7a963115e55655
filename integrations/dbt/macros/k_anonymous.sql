{#- Classes with fewer than k records, or with `entity` fewer than k persons; null is a person. -#}
{% test k_anonymous(model, quasi_identifiers, k, entity=none) %}
select {{ quasi_identifiers | join(', ') }}, {{ kanonym.kanonym_size(entity) }} as kanonym_size
from {{ model }}
group by {{ quasi_identifiers | join(', ') }}
having {{ kanonym.kanonym_size(entity) }} < {{ k }}
{% endtest %}

{% macro kanonym_size(entity) -%}
{{ 'count(*)' if entity is none else kanonym.kanonym_distinct(entity) }}
{%- endmacro %}

{#- How many different values there are; null is one of them. -#}
{% macro kanonym_distinct(column) -%}
count(distinct {{ column }}) + max(case when {{ column }} is null then 1 else 0 end)
{%- endmacro %}
