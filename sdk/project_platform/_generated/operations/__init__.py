"""A module for each operation. Generated from openapi.yaml by `python -m codegen`. Do not edit."""
