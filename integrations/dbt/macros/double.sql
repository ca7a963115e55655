{#- The name of numbers with 64 bits. -#}
{% macro kanonym_double() -%}
{{ return(adapter.dispatch('kanonym_double', 'kanonym')()) }}
{%- endmacro %}

{% macro default__kanonym_double() -%}
{{ return('double precision') }}
{%- endmacro %}

{% macro bigquery__kanonym_double() -%}
{{ return('float64') }}
{%- endmacro %}

{% macro spark__kanonym_double() -%}
{{ return('double') }}
{%- endmacro %}
